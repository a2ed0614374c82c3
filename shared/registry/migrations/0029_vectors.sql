-- What memories mean, in numbers that a model makes of their words. All of it follows
-- from memories and can be made again; the numbers themselves stand in a table under
-- sqlite/, as those of the text index do.

-- memoryd/internal/memory -----------------------------------------------------
-- The model that made every vector kept; one row, none before the first.
CREATE TABLE memory_vector_space (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK (dimensions > 0)
);

-- The row of memory_vectors that holds a memory; 0 for one whose words are to be read
-- again. Memories with a higher id than the last of these were not read yet.
CREATE TABLE memory_embedded (
  memory_id INTEGER PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  vectors_id BIGINT NOT NULL
);
CREATE INDEX memory_embedded_vectors ON memory_embedded (vectors_id);
