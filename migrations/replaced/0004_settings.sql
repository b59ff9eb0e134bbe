-- What all nodes of a community share and keep by themselves, such as the secret that signs session cookies.
create table setting (
  name text primary key,
  value text not null
);
