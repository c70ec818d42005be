"""The bench edited by the appliance: changes of the bench file that keep what people wrote in it."""
