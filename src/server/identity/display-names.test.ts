import { formatError } from '#shared/errors.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { type SessionState } from '#shared/identity/accounts.ts';
import type { MemberSettings, Profile } from '#shared/identity/profiles.ts';
import type { ProviderSignInResult } from '#shared/identity/sign-in-providers.ts';

const { server, provider } = await startServerWithProvider();
beforeEach(() => server.resetRateLimits());
const moderator = await server.register('Olga Illner');
await setRole(server.db, { email: moderator.email, role: 'moderator' });
const ann = await server.register('Ann');

let people = 0;
const register = (displayName: string) =>
  server
    .visitor()
    .post<SessionState>('/members', { displayName, email: `n${++people}@example.org`, password });

const rename = (member: Member, displayName: string, bio: string | null = null) =>
  member.put<MemberSettings>('/settings', { displayName, bio, showEmail: false });

/** Signs in from the identity provider with this name. Returns the display name here. */
async function enter(name: string, email = `p${++people}@example.net`): Promise<string | undefined> {
  const browser = server.visitor();
  const { url } = expectOk(await browser.post<{ url: string }>('/session/provider', { provider: 'oidc' }));
  const who = { subject: `subject ${++people}`, email, email_verified: true, name };
  const query = await provider.visit(url, who);
  return expectOk(await browser.post<ProviderSignInResult>('/session/provider/callback', { query })).member
    ?.displayName;
}

const refusal = (message: string) => ({ status: 400, errors: [{ field: 'displayName', message }] });

describe('a name with characters that are invisible or hide others', () => {
  test.each([
    ['zero width space', 'An\u200Bn', 'Ann'],
    ['word joiner', 'An\u2060n', 'Ann'],
    ['byte order mark', 'An\uFEFFn', 'Ann'],
    ['soft hyphen', 'An\u00ADn', 'Ann'],
    ['zero width non-joiner between Latin letters', 'An\u200Cn', 'Ann'],
    ['zero width joiner between Latin letters', 'An\u200Dn', 'Ann'],
    ['Hangul filler', 'An\u3164n', 'Ann'],
    ['empty Braille pattern', 'An\u2800n', 'Ann'],
    ['variation selector', 'Ann\uFE0F', 'Ann'],
    ['tag characters', 'Ann\u{E0041}', 'Ann'],
    ['combining grapheme joiner', 'An\u034Fn', 'Ann'],
    ['right-to-left override', 'An\u202En', 'Ann'],
    ['left-to-right isolate', '\u2066Ann\u2069', 'Ann'],
    ['right-to-left mark', 'Ann\u200F', 'Ann'],
    ['line separator', 'An\u2028n', 'An n'],
    ['private use', 'Ann\uE000', 'Ann'],
    ['many marks on a letter', 'A\u0300\u0301\u0302\u0303\u0304\u0305nn', 'À\u0301nn'],
    ['a mark on each letter', 'X\u0321y\u0321z\u0321w\u0321', 'Member'],
    ['strokes through letters', 'A\u0336n\u0336n\u0336', 'Ann'],
    ['a circle around a letter', 'Ann\u20DD', 'Ann'],
    ['a mark without a letter', '\u0301Ann', 'Ann'],
    ['nothing but such characters', '\u200B\u200B\u200B', 'Member'],
  ])('is refused: %s', async (_, name, cleaned) => {
    expect(await register(name)).toMatchObject({ status: 400, errors: [{ field: 'displayName' }] });
    expect(await rename(ann, name)).toMatchObject({ status: 400, errors: [{ field: 'displayName' }] });
    // A name from the identity provider is cleaned instead, because the member did not choose it here.
    expect(await enter(name, `x@example${++people}.net`)).toBe(cleaned);
  });
});

describe('a name of', () => {
  test.each([
    ['Persian with a zero width non-joiner', 'علی\u200Cرضا می\u200Cرود'],
    ['Arabic with vowels', 'مُحَمَّدٌ بنُ عَبْدِ ٱللَّٰهِ'],
    ['Hebrew with points', 'שָׁלוֹם בֶּן־דָּוִד'],
    ['Vietnamese', 'Nguyễn Thị Mỹ Hạnh'],
    ['Vietnamese, written apart', 'Nguyễn Thị'.normalize('NFD')],
    ['Hindi', 'श्रीकृष्ण ज़ाकिर'],
    ['Nepali with a zero width non-joiner', 'श्रीमान्\u200Cको'],
    ['Sinhala with a zero width joiner', 'ශ්\u200Dරී ලංකා'],
    ['Malayalam with a zero width joiner', 'അവന്\u200D'],
    ['Thai', 'ปิ่นเกล้า น้ำผึ้ง'],
    ['Tibetan', 'བསྒྲུབས་རྒྱལ'],
    ['Burmese', 'အောင်ဆန်းစုကြည်'],
    ['Yoruba', 'Ọlọ́runṣọlá Adébọ̀wálé'],
    ['Navajo', 'Hózhǫ́ǫ́gi'],
    ['Greek with all marks', 'ᾍδης Ὀδυσσεύς'],
    ['Japanese with a wide space', '山田　太郎'],
    ['Japanese with a variant of a character', '葛\u{E0100}城'],
    ['Korean', '김철수'],
    ['Irish', "Seán O'Brien-Ó Súilleabháin"],
    ['a typographic apostrophe', 'D’Angelo'],
    ['Catalan', 'Gal·la Marcel·lí'],
    ['pictures', 'Ann 👩‍💻❤️👍🏽'],
    ['digits and signs', 'R2-D2 (beep)'],
  ])('%s is accepted', async (_, name) => {
    const registered = await register(name);
    const tidy = name.normalize('NFC').replaceAll('　', ' ');
    expect(registered).toMatchObject({ status: 201, body: { member: { displayName: tidy } } });
    expect(await rename(ann, name)).toMatchObject({ status: 200, body: { displayName: tidy } });
    expect(await enter(name)).toBe(tidy);
  });
});

describe('a name that looks like that of a moderator, or like the role', () => {
  test.each([
    ['the same', 'Olga Illner'],
    ['other capitals', 'OLGA ILLNER'],
    ['capital I for small l', 'OIga IIIner'],
    ['a digit', '0lga I11ner'],
    ['Cyrillic letters', 'Оlgа Іllnеr'],
    ['wide letters', 'Ｏｌｇａ Ｉｌｌｎｅｒ'],
    ['mathematical letters', '𝐎𝐥𝐠𝐚 𝐈𝐥𝐥𝐧𝐞𝐫'],
    ['other punctuation', 'Olga-Illner.'],
    ['no space', 'OlgaIllner'],
    ['the role', 'Moderator'],
    ['the role and a name', 'Ann (Admin)'],
    ['the role with Cyrillic letters', 'Аdmіn Ann'],
    ['the role in capitals', 'ADMINISTRATOR'],
    ['the role in Spanish', 'Moderadora'],
    ['the role in Chinese', '管理员'],
  ])('is refused: %s', async (_, name) => {
    expect(await register(name)).toMatchObject(refusal(formatError({ code: 'name-too-similar' })));
    expect(await rename(ann, name)).toMatchObject(refusal(formatError({ code: 'name-too-similar' })));
    const other = `somebody${++people}`;
    expect(await enter(name, `${other}@example.net`)).toBe(other);
  });

  test.each(['Olga', 'Olga Illnerová', 'Holga Illner', 'Admira', 'Modesta', 'Adminah'])(
    'is different enough: %s',
    async (name) => {
      expect((await register(name)).status).toBe(201);
    },
  );

  test('is accepted for the moderator', async () => {
    expect((await rename(moderator, 'OLGA ILLNER')).status).toBe(200);
    expect((await rename(moderator, 'Olga Illner (Moderator)')).status).toBe(200);
    expect((await rename(moderator, 'Olga Illner')).status).toBe(200);
  });
});

test('keeps an old name while its member changes other settings', async () => {
  const old = await server.register('Old');
  const odd = 'Z\u0336a\u0336l  \u200Bgo';
  await sql`update member set display_name = ${odd} where id = ${old.id}`.execute(server.db);
  const settings = expectOk(await old.get<MemberSettings>('/settings'));
  expect(await rename(old, settings.displayName, 'About me.')).toMatchObject({ status: 200 });
  expect(expectOk(await ann.get<Profile>(`/members/${old.id}`))).toMatchObject({
    displayName: odd,
    bio: 'About me.',
  });
  expect(await rename(old, `${settings.displayName}!`)).toMatchObject(
    refusal(formatError({ code: 'name-characters-not-allowed' })),
  );
});

test('does not show an address that the identity provider gives as the name', async () => {
  expect(await enter('jane.doe@private.example')).toBe('jane.doe');
});
