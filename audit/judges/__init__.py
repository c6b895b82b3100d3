"""What is every judge given, and what does it give? Profiles and the risk, settings of a run, which kind of statement
goes to whom, and how a judge divides its work. No judge stands here."""
