"""From numbers to intervals: cut points, which interval a number falls in, and what intervals are called."""
