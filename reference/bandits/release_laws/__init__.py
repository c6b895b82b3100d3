"""With which chances is what released? Laws of winners, of selections by noise and of noisy maxima, and the gate that
checks every law. No policies: these say which law they have."""
