import { i18n } from '@lingui/core';

/**
 * The texts of the catalogue of site settings in the current language, by their ids (lingui.config.ts). The build adds
 * the English texts to this module (vite.config.texts.ts).
 */
export const settingLabel = (name: string, fallback: string = name): string =>
  translate(`setting.${name}`, fallback);
export const settingDescription = (name: string, fallback: string): string =>
  translate(`setting.${name}.description`, fallback);
export const optionLabel = (name: string, option: string, fallback: string = option): string =>
  translate(`setting.${name}.${option}`, fallback);

/** A node of a newer version can have settings that this browser does not know yet. */
const translate = (id: string, fallback: string): string => (id in i18n.messages ? i18n._(id) : fallback);
