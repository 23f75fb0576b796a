"""A model beside the people: whether it may take a person's place, and what its labels say of a prevalence."""
