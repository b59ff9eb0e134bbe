-- An old address that the member never confirmed can be restored, but others can register it.
alter table email_link add column reserves_email boolean not null default false;
update email_link set reserves_email = true where purpose = 'revert_email';
drop index email_link_reserved_email;
create index email_link_reserved_email on email_link (email) where reserves_email;
