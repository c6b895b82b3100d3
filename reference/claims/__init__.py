"""What is a claim? Its data and words (`model`), a paper's chapters (`paper`), and all papers together (`ledger`). No
paper stands here, and no judge."""
