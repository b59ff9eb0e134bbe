-- The logo and the icon of the site (docs/decisions/083). The settings `logo` and `icon` name a picture.
create table site_picture_file (
  -- From the hash of the uploaded file, with the size in pixels: another file has another address.
  picture text not null check (picture ~ '^[A-Za-z0-9_-]{22}-[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$'),
  file text not null check (char_length(file) between 1 and 60),
  content bytea not null,
  primary key (picture, file)
);
comment on table site_picture_file is 'The files of logos and icons, encoded by the server. Earlier ones stay, so that a change can be undone.';
alter table site_picture_file alter content set storage external;
