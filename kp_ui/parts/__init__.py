"""Define the parts of pages: each module is named after its page or tab."""
