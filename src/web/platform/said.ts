import { i18n } from '@lingui/core';

/**
 * A sentence that the server or shared code says in English, in the language shown; as it is where the catalogue does
 * not have it, and in English. These sentences stand in the catalogues under their own words (lingui.config.ts).
 */
export function translateServerMessage(message: string): string {
  return message in i18n.messages ? i18n._(message) : message;
}
