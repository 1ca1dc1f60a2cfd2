var map = {}
IO.print(map["key"])
