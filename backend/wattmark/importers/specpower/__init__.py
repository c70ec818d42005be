"""Full disclosure texts of SPECpower_ssj2008."""
