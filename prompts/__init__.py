"""The prompts, one Markdown file each; read by `workbench.llm.prompts`."""
