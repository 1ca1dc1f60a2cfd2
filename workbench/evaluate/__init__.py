"""`workbench evaluate`: how often the product is right, on labelled cases, in four stages."""
