import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { Role } from '#shared/identity/roles.ts';
import type { WebhookEvent, WebhookFormat } from '#shared/integrations/webhook-events.ts';
import type { EmailFrequency } from '#shared/notifications/preferences.ts';

/** The tables that Kysely queries name, as TypeScript types. Statements in SQL use all tables (`migrations`). */
export type DatabaseSchema = {
  member: MemberTable;
  session: SessionTable;
  account: AccountTable;
  two_factor: {
    member_id: number;
    encrypted_key: string;
    last_period: ColumnType<number, number, number>;
    created_at: Generated<Date>;
  };
  recovery_code: { member_id: number; first_digit: number; hash: string };
  passkey: PasskeyTable;
  api_token: ApiTokenTable;
  service_account: {
    member_id: number;
    deactivated_at: Date | null;
    requests_per_minute: number;
    posts_per_hour: number;
  };
  sign_in_provider: SignInProviderTable;
  event_reader: { name: string; snapshot: object; needed_from: string; read_at: Generated<Date> };
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
  used_nonce: { key: string; expires_at: Date };
  tag: TagTable;
  question: QuestionTable;
  answer: AnswerTable;
  idempotency_key: IdempotencyKeyTable;
  setting: { name: string; value: string };
  site_setting: { name: string; value: unknown; changed_at: Generated<Date> };
  backup_run: BackupRunTable;
  notification_preference: {
    member_id: number;
    category: string;
    in_app: boolean;
    email: EmailFrequency;
    push: boolean;
  };
};

type Count = ColumnType<number, number | undefined, number>;

/** The columns of imported rows. Null in rows written in Parley. */
type Imported = { source_id: number | null; source_key: string | null };

type MemberTable = Imported & {
  id: Generated<number>;
  display_name: string | null;
  email: string | null;
  email_verified: Generated<boolean>;
  bio: string | null;
  location: string | null;
  website: string | null;
  reputation: Count;
  imported_reputation: Count;
  questions_count: Count;
  answers_count: Count;
  show_email: Generated<boolean>;
  language: string | null;
  email_off_at: Date | null;
  email_off_reason: string | null;
  avatar: string | null;
  role: Generated<Role>;
  suspended_until: Date | null;
  suspension_reason: string | null;
  application: ApplicationStatus | null;
  is_bot: Generated<boolean>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

type SessionTable = {
  id: Generated<number>;
  member_id: number;
  token: string;
  expires_at: Date;
  ip_address: string | null;
  user_agent: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

type AccountTable = {
  id: Generated<number>;
  member_id: number;
  account_id: string;
  provider_id: string;
  password: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

type SignInProviderTable = {
  id: string;
  name: string;
  issuer: string;
  client_id: string;
  encrypted_client_secret: string;
  scopes: string;
  trusts_email: boolean;
  is_enabled: Generated<boolean>;
  position: number;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

type WebhookTable = {
  id: GeneratedAlways<number>;
  name: string;
  address: string;
  format: WebhookFormat;
  events: WebhookEvent[];
  tags: string[];
  encrypted_secret: string;
  encrypted_previous_secret: string | null;
  previous_secret_until: Date | null;
  is_enabled: Generated<boolean>;
  enabled_at: Generated<Date>;
  stop_reason: 'failures' | 'gone' | null;
  failing_since: Date | null;
  paused_until: Date | null;
  delivered_at: Date | null;
  created_at: Generated<Date>;
  deleted_at: Date | null;
};

type WebhookDeliveryTable = {
  id: GeneratedAlways<number>;
  webhook_id: number;
  message_id: string;
  resource: string;
  event_type: string;
  question_id: number | null;
  answer_id: number | null;
  reply_id: number | null;
  member_id: number | null;
  occurred_at: Date;
  state: Generated<'pending' | 'delivered' | 'failed' | 'skipped'>;
  attempts: Generated<number>;
  first_attempt_at: Date | null;
  last_attempt_at: Date | null;
  status: number | null;
  error: string | null;
  duration_ms: number | null;
  request_body: string | null;
  response_body: string | null;
  created_at: Generated<Date>;
};

type PasskeyTable = {
  id: GeneratedAlways<number>;
  member_id: number;
  name: string;
  credential_id: string;
  public_key: Uint8Array;
  user_handle: string;
  counter: number;
  transports: string[];
  created_at: Generated<Date>;
  last_used_at: Date | null;
};

type ApiTokenTable = {
  id: GeneratedAlways<number>;
  member_id: number;
  name: string;
  hash: Uint8Array;
  scopes: string[];
  created_at: Generated<Date>;
  expires_at: Date;
  last_used_at: Date | null;
};

type TagTable = {
  id: GeneratedAlways<number>;
  name: string;
  key: string;
  questions_count: Count;
  followers_count: Count;
  active_at: Date | null;
  has_purged_questions: Generated<boolean>;
  description: string | null;
  about: string | null;
};

type PostColumns = Imported & {
  id: GeneratedAlways<number>;
  author_id: number | null;
  imported_author_name: string | null;
  content: string;
  upvotes: Count;
  downvotes: Count;
  imported_upvotes: Count;
  imported_downvotes: Count;
  source_license: string | null;
  created_at: Generated<Date>;
  edited_at: Date | null;
};

type QuestionTable = PostColumns & {
  title: string;
  excerpt: string;
  excerpt_cut: boolean;
  views: Count;
  imported_views: Count;
  answer_count: Count;
  accepted_answer_id: number | null;
  active_at: Generated<Date>;
  tag_text: Generated<string>;
};

type BackupRunTable = {
  id: GeneratedAlways<number>;
  node: string;
  started_at: Generated<Date>;
  ended_at: Date | null;
  outcome: Generated<'running' | 'succeeded' | 'failed'>;
  file: string;
  bytes: number | null;
  reason: string | null;
  verified_at: Date | null;
  verify_problem: string | null;
};

type AnswerTable = PostColumns & { question_id: number };

type IdempotencyKeyTable = {
  member_id: number;
  key: string;
  request_hash: Buffer;
  post_id: number | null;
  created_at: Generated<Date>;
};
