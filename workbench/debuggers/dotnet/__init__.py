"""dotnet-dump and SOS: how they are found, started and held to reading."""
