tracker linear
