import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { sitePicturePattern } from '#shared/core/site-pictures.ts';
import { countCodePoints, hasControlCharacters, hasForbiddenCharacters } from '#shared/core/text.ts';
import { type SettingDefinition, type SettingValue, textFormats } from './setting-definition.ts';

/** Accepts the values that a setting can have, and trims texts. Issues name error codes. */
export function settingSchema(definition: SettingDefinition): z.ZodType<SettingValue> {
  switch (definition.type) {
    case 'boolean':
      return z.boolean(withCode('setting-not-boolean'));
    case 'integer': {
      const { min, max } = definition;
      const isInRange = (value: number) => Number.isSafeInteger(value) && value >= min && value <= max;
      return z
        .number(withCode('setting-not-number'))
        .refine(isInRange, withCode('setting-not-in-range', { min, max }));
    }
    case 'text':
      return lineSchema(definition);
    case 'markdown': {
      const { max } = definition;
      return z
        .string(withCode('setting-not-text'))
        .trim()
        .refine((text) => countCodePoints(text) <= max, withCode('text-too-long', { max }))
        .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed'));
    }
    case 'choice':
      return z.enum(Object.keys(definition.options), withCode('setting-not-an-option'));
    case 'picture':
      return z
        .string(withCode('setting-not-picture'))
        .refine((name) => name === '' || sitePicturePattern.test(name), withCode('setting-not-picture'));
    case 'list': {
      const { maxItems: max } = definition;
      return z
        .array(lineSchema({ ...definition, min: 1 }), withCode('setting-not-text'))
        .refine((lines) => lines.length <= max, withCode('setting-list-too-long', { max }));
    }
  }
}

type LineRules = { min?: number; max: number; format?: keyof typeof textFormats };

function lineSchema({ min = 0, max, format }: LineRules) {
  const line = z
    .string(withCode('setting-not-text'))
    .trim()
    .refine((text) => countCodePoints(text) >= min, withCode('setting-required'))
    .refine((text) => countCodePoints(text) <= max, withCode('text-too-long', { max }))
    .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'));
  if (format === undefined) return line;
  const { pattern, code } = textFormats[format];
  return line.refine((text) => text === '' || pattern.test(text), withCode(code));
}

/** What a setting accepts, in a few words. */
export function describeValues(definition: SettingDefinition): string {
  switch (definition.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number from ${definition.min} to ${definition.max}`;
    case 'text':
      return `${definition.format === undefined ? 'text' : textFormats[definition.format].words}, up to ${definition.max} characters`;
    case 'markdown':
      return `Markdown, up to ${definition.max} characters`;
    case 'picture':
      return 'a picture that was uploaded in the browser, or empty';
    case 'choice':
      return Object.keys(definition.options).join(', ');
    case 'list':
      return `up to ${definition.maxItems} lines${definition.format === undefined ? '' : `, each ${textFormats[definition.format].words}`}`;
  }
}
