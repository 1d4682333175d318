-- What holds the feed back: a message that Kafka refuses for its size; null while it advances.
alter table analytics.checkpoints add column refusal jsonb;
