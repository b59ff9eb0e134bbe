import { limits } from '#shared/core/limits.ts';

/** docs/product.md 4.1. */
export const askMessages = {
  required: 'Please fill in all required fields',
  titleLong: `Title can have up to ${limits.title} characters`,
  detailsLong: `Details can have up to ${limits.details} characters`,
  failed: 'Failed to create question. Please try again.',
} as const;
