"""Rubric text from foreign files: tables, HealthBench examples, promptfoo assertions. Pure: values come parsed."""
