"""What does every check get, and what does it return? Profiles and the error probability, settings of a run, which
method checks which kind of statement, and how its work is divided into tasks."""
