import type { ErrorTable } from '#shared/core/error-kinds.ts';

export const integrationsErrors = {
  'api-token-not-valid': ['token-refused', 'This API token does not exist, has expired or was revoked.'],
  'api-token-scope-missing': ['scope-missing', 'The API token needs the scope "{scope}" for this request.'],
  'api-token-not-accepted': ['scope-missing', 'This request cannot be made with an API token.'],
  'api-tokens-disabled': ['disabled', 'API tokens are switched off in this community.'],
  'api-token-not-found': ['not-found', 'API token not found'],
  'api-token-name-required': ['invalid', 'Give the token a name'],
  'api-token-name-too-long': ['invalid', 'Token name must be {max} characters or fewer'],
  'api-token-scope-required': ['invalid', 'Choose at least one scope'],
  'too-many-api-tokens': ['not-allowed', 'You can have up to {max} API tokens.'],
} as const satisfies ErrorTable;
