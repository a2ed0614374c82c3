-- What each project is: its language, framework, scope and dependencies, for the
-- whole (package '') and for each package of a monorepo.

-- classify/internal/profile --------------------------------------------------

CREATE TABLE profiles (
  id INTEGER PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES projects (id),
  package TEXT NOT NULL DEFAULT '',
  path TEXT NOT NULL,
  language TEXT NOT NULL,
  framework TEXT NOT NULL,
  scope TEXT NOT NULL,
  manifest_type TEXT NOT NULL,
  details TEXT NOT NULL DEFAULT '{}',
  input_hash TEXT NOT NULL,
  classified_at TEXT NOT NULL
);
CREATE UNIQUE INDEX profiles_package ON profiles (project_id, package);

CREATE TABLE profile_dependencies (
  profile_id BIGINT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  ecosystem TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (profile_id, ecosystem, name)
);
CREATE INDEX profile_dependencies_by ON profile_dependencies (ecosystem, name, profile_id);
