"""Answers questions from evidence by plain code; contradicts a person whom the evidence denies."""
