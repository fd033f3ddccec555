"""Define the parts of the pages; each module is named after its page or tab."""
