"""A process of its own that answers about stored runs, so that whoever reads never delays a meter."""
