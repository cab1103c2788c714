"""For eyes and machines: values in, text out. Nothing here prints or writes."""
