import { expect, type APIRequestContext } from '@playwright/test';

/** Saves a draft over the API, as another device of the signed-in member does. */
export async function saveDraft(
  request: APIRequestContext,
  place: string,
  fields: Record<string, string>,
): Promise<void> {
  const data = {
    key: `key-of-${place}`.replaceAll(':', '-'),
    fields,
    basedOn: null,
    clientId: 'some-device',
    sequence: 1,
  };
  const response = await request.put(`/api/drafts/${place}`, { data });
  expect(response.status(), await response.text()).toBe(200);
}

/** The text of a draft on the server; null when there is none. */
export async function getDraftText(request: APIRequestContext, place: string): Promise<string | null> {
  const response = await request.get(`/api/drafts/${place}`);
  const { fields } = (await response.json()) as { fields: { content: string } | null };
  return fields?.content ?? null;
}
