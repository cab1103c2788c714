"""A rubric in the forms of other tools and languages. Pure: values in, values and text out."""
