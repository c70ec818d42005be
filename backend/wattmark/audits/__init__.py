"""Published figures beside what their own logs give: by the rule of the publisher, and over the complete window."""
