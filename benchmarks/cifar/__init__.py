"""The cost-sensitive classifier of section 7.4: its photographs, its net, and the outputs that the package carries."""
