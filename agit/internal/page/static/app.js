// The page, made live.
