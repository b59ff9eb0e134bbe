import type { Revision, RevisionEntry, RevisionsPage } from '#shared/posts/revisions.ts';
import type { Answer, AnswerSort } from '#shared/posts/answers.ts';
import type { Me, SessionState } from '#shared/identity/accounts.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import type { VoteDirection } from '#shared/core/fields.ts';
import type { FeedPage, FeedViewer, MutedChoice } from '#shared/engagement/mutes.ts';
import type { Problem } from '#shared/core/problem.ts';
import type { QuestionCards, QuestionPageData } from '#shared/posts/questions.ts';
import type {
  QuestionCardsDocument,
  QuestionCardsViewer,
  QuestionDocument,
  QuestionViewer,
} from '#shared/posts/questions-document.ts';
import { combineQuestionCards, combineQuestionPage } from '#shared/posts/questions-viewer.ts';
import type { Tag, TagDocument, TagsDocument, TagsPage, TagsViewer } from '#shared/discovery/tags.ts';
import { combineFeedPage, combineTag, combineTagsPage } from '#shared/discovery/viewer.ts';
import type { Reply } from '#shared/posts/replies.ts';
import type { VoteState } from '#shared/engagement/votes.ts';
import { sendRequest } from './http-request.ts';

/** A response. The caller states the type of `body`; `kind`, `code`, `detail` and `errors` are those of problem details. */
export type ApiResponse<Body = unknown> = {
  status: number;
  headers: Headers;
  body: Body;
} & Pick<Partial<Problem>, 'kind' | 'code' | 'detail' | 'errors'>;

export type RequestOptions = {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  /** Bytes to send instead. */
  file?: Uint8Array | undefined;
  headers?: Record<string, string>;
  /** Sent as the Idempotency-Key header. */
  key?: string | undefined;
};

/** A client of the API: a browser with its cookies. Does not throw for error responses. */
export class ApiClient {
  readonly address: string;
  cookies = new Map<string, string>();

  constructor(address: string) {
    this.address = address;
  }

  async send<Body = unknown>(
    method: string,
    path: string,
    sending: RequestOptions = {},
  ): Promise<ApiResponse<Body>> {
    const response = await sendRequest(`${this.address}/api${path}`, {
      method,
      headers: this.#headers(sending),
      body: sending.file ?? (sending.body === undefined ? undefined : toBodyText(sending.body)),
    });
    this.#keepCookies(response.headers);
    const { text } = response;
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    // A response to HEAD has the content type without a body.
    const body = (isJson && text !== '' ? JSON.parse(text) : text) as Body & Partial<Problem>;
    const { kind, code, detail, errors } = isSuccess(response) ? {} : body;
    if (response.status === 429) requireRetryAfter(response.headers, detail);
    return {
      status: response.status,
      headers: response.headers,
      body,
      ...(kind !== undefined && { kind }),
      ...(code !== undefined && { code }),
      ...(detail !== undefined && { detail }),
      ...(errors !== undefined && { errors }),
    };
  }

  get = <Body = unknown>(path: string) => this.send<Body>('GET', path);
  post = <Body = unknown>(path: string, body: unknown, key?: string) =>
    this.send<Body>('POST', path, { body, key });
  put = <Body = unknown>(path: string, body?: unknown) => this.send<Body>('PUT', path, { body });
  delete = (path: string) => this.send('DELETE', path);

  signIn = (email: string, password: string) => this.post<SessionState>('/session', { email, password });

  #headers({ body, file, headers, key }: RequestOptions): Record<string, string> {
    return {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(file !== undefined && { 'content-type': 'application/octet-stream' }),
      ...(this.cookies.size > 0 && { cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...headers,
    };
  }

  #keepCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** The most seconds that a text of an error may mean. */
const waitsByText: readonly (readonly [RegExp, number])[] = [
  [/in a (?:moment|minute)\b/u, 60],
  [/in a few minutes/u, 10 * 60],
  [/in an hour/u, 60 * 60],
  [/tomorrow/u, 24 * 60 * 60],
];

/** Each refusal by a limit has `Retry-After` (docs/api.md), and its text names no shorter time. */
function requireRetryAfter(headers: Headers, detail = ''): void {
  const seconds = Number(headers.get('retry-after'));
  const [, most = Infinity] = waitsByText.find(([text]) => text.test(detail)) ?? [];
  if (!(seconds >= 1 && seconds <= most)) throw new Error(`Retry-After is ${seconds}: ${detail}`);
}

/** A signed-in member. Named actions throw if they fail; `get`, `post`, … return any response. */
export class Member extends ApiClient {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  /** The unused recovery codes of a member with two-factor authentication. */
  recoveryCodes: string[] = [];

  constructor(address: string, { id, displayName, email }: Pick<Me, 'id' | 'displayName' | 'email'>) {
    super(address);
    this.id = id;
    this.name = displayName;
    this.email = email;
  }

  /** The same browser on another node of the community. */
  onServer(address: string): Member {
    const there = new Member(address, { id: this.id, displayName: this.name, email: this.email });
    for (const [name, value] of this.cookies) there.cookies.set(name, value);
    return there;
  }

  /** The same member in another browser. */
  async signInElsewhere(): Promise<Member> {
    const there = new Member(this.address, { id: this.id, displayName: this.name, email: this.email });
    const { member } = expectOk(await there.signIn(this.email, password));
    if (member === null)
      expectOk(await there.post('/session/two-factor', { code: this.recoveryCodes.pop() }));
    return there;
  }

  /** Uploads a picture. Returns its path. */
  async upload(bytes: Uint8Array): Promise<string> {
    return expectOk(await this.send<{ path: string }>('POST', '/uploads', { file: bytes })).path;
  }

  /** Returns the id. */
  async ask(draft: { title?: string; content?: string; tags?: string[] } = {}): Promise<number> {
    const whole = { title: 'How long does bread keep?', content: 'In a bag, on the table.', ...draft };
    return expectOk(await this.post<{ id: number }>('/questions', whole)).id;
  }

  async answer(questionId: number, content = 'Three days.'): Promise<Answer> {
    return expectOk(await this.post<Answer>(`/questions/${questionId}/answers`, { content }));
  }

  /** Replies to an answer, or to a reply below it. */
  async replyToAnswer(answerId: number, { to, content = 'Thanks!' }: ReplyOptions = {}): Promise<Reply> {
    const body = { content, parentReplyId: to?.id ?? null };
    return expectOk(await this.post<Reply>(`/answers/${answerId}/replies`, body));
  }

  /** Replies to a question, or to a reply below it. */
  async replyToQuestion(
    questionId: number,
    { to, content = 'Which bread?' }: ReplyOptions = {},
  ): Promise<Reply> {
    const body = { content, parentReplyId: to?.id ?? null };
    return expectOk(await this.post<Reply>(`/questions/${questionId}/replies`, body));
  }

  async vote(kind: PostPath, id: number, vote: VoteDirection | null): Promise<VoteState> {
    return expectOk(await this.put<VoteState>(`/${kind}/${id}/vote`, { vote }));
  }

  /** Returns the id of the bookmark. */
  async bookmark(kind: 'questions' | 'answers', id: number, how: BookmarkOptions = {}): Promise<number> {
    const path = `/${kind}/${id}/bookmark`;
    return expectOk(await this.put<{ id: number }>(path, { bookmarked: true, ...how })).id;
  }

  async mute(what: `questions/${number}` | `tags/${string}`, muted = true): Promise<void> {
    expectOk(await this.put(`/${what}/mute`, { muted }));
  }

  /** A document and what this member sees on it, as the web app reads both. */
  async readWithViewer<Document, Viewer>(path: string, query = ''): Promise<[Document, Viewer]> {
    const [document, viewer] = await Promise.all([
      this.get<Document>(`${path}${query}`),
      this.get<Viewer>(`/viewer${path}${query}`),
    ]);
    return [expectOk(document), expectOk(viewer)];
  }

  async read(questionId: number, sort: AnswerSort = 'newest'): Promise<QuestionPageData> {
    const path = `/questions/${questionId}`;
    return combineQuestionPage(
      ...(await this.readWithViewer<QuestionDocument, QuestionViewer>(path, `?sort=${sort}`)),
    );
  }

  /**
   * The versions of a post with their texts, newest first.
   * @param post such as '/answers/7'.
   */
  async revisions(post: string): Promise<Revision[]> {
    const items: RevisionEntry[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `?cursor=${cursor}`;
      const page: RevisionsPage = expectOk(await this.get<RevisionsPage>(`${post}/revisions${query}`));
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    const texts: Revision[] = [];
    for (const { number } of items)
      texts.push(expectOk(await this.get<Revision>(`${post}/revisions/${number}`)));
    return texts;
  }

  async feed(feed: Feed, cursor?: string | null, muted: MutedChoice = 'hide'): Promise<FeedPage> {
    const query = cursor == null ? '' : `cursor=${cursor}`;
    const [document, viewer] = await Promise.all([
      this.get<QuestionCardsDocument>(`/feeds/${feed}?${query}`),
      this.get<FeedViewer>(`/viewer/feeds/${feed}?muted=${muted}&${query}`),
    ]);
    return combineFeedPage(expectOk(document), expectOk(viewer));
  }

  async readTag(tag: string): Promise<Tag> {
    return combineTag(
      ...(await this.readWithViewer<TagDocument, TagsViewer>(`/tags/${encodeURIComponent(tag)}`)),
    );
  }

  async readTags(query = ''): Promise<TagsPage> {
    return combineTagsPage(...(await this.readWithViewer<TagsDocument, TagsViewer>('/tags', query)));
  }

  async readTagQuestions(tag: string): Promise<QuestionCards> {
    const path = `/tags/${encodeURIComponent(tag)}/questions`;
    return combineQuestionCards(
      ...(await this.readWithViewer<QuestionCardsDocument, QuestionCardsViewer>(path)),
    );
  }

  async remove(kind: PostPath, id: number): Promise<void> {
    expectOk(await this.delete(`/${kind}/${id}`));
  }

  /** The member's own record. */
  async me(): Promise<Me> {
    const { member } = expectOk(await this.get<SessionState>('/session'));
    if (member === null) throw new Error(`${this.name} is signed out`);
    return member;
  }
}

/** The three kinds of posts, as in API paths. */
export type PostPath = 'questions' | 'answers' | 'replies';

type BookmarkOptions = { note?: string; listIds?: number[]; bookmarkedAt?: string };

type ReplyOptions = { to?: Reply; content?: string };

/** The password of every member that `register` creates. */
export const password = 'correct horse battery';

let registered = 0;

export async function register(address: string, name: string): Promise<Member> {
  registered++;
  const email = `member${registered}@example.org`;
  const visitor = new ApiClient(address);
  const state = expectOk(
    await visitor.post<SessionState>('/members', { displayName: name, email, password }),
  );
  if (state.member === null) throw new Error('registration did not sign in');
  const member = new Member(address, state.member);
  member.cookies = visitor.cookies;
  return member;
}

/** The body of a successful response. Throws for errors. */
export function expectOk<Body>(response: ApiResponse<Body>): Body {
  if (isSuccess(response)) return response.body;
  throw new Error(`the API responded ${response.status} ${response.code}: ${response.detail}`);
}

const isSuccess = ({ status }: { status: number }) => status >= 200 && status < 300;

const toBodyText = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
