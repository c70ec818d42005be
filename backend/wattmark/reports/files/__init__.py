"""Tables, figures and reports as files of every format."""
