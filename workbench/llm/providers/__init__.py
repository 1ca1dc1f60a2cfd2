"""Those who answer: one module a kind of server. What all of them need lies beside them: where a
server is, what may pass over the wire, what a model is known to refuse, how often it is asked."""
