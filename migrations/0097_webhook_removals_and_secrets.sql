-- A removal is also sent to the web hooks that have a delivery of the question. The index is no longer limited to
-- deliveries with a request, which is removed when an author is renamed.
drop index webhook_delivery_question;
create index webhook_delivery_question on webhook_delivery (question_id, webhook_id) where question_id is not null;
