"""Model APIs and the network: dialects, prices, the one door out."""
