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
  'webhook-not-found': ['not-found', 'Web hook not found'],
  'webhook-field-required': ['invalid', 'Please fill in this field.'],
  'webhook-address-not-valid': ['invalid', 'Enter an address that begins with https://'],
  'webhook-address-not-https': [
    'invalid',
    'The address must begin with https://. The operator can allow http for single hosts (WEBHOOK_HOSTS).',
  ],
  'webhook-address-private': [
    'invalid',
    'This address is not on the public internet. The operator can allow it (WEBHOOK_HOSTS).',
  ],
  'webhook-event-required': ['invalid', 'Choose at least one event'],
  'webhook-event-not-for-chat': ['invalid', 'Chats do not receive this event'],
  'webhook-tag-unknown': ['invalid', 'There is no topic "{tag}".'],
  'too-many-webhooks': ['not-allowed', 'There can be up to {max} web hooks.'],
  'webhook-off': ['disabled', 'Switch the web hook on first.'],
  'webhook-delivery-not-found': ['not-found', 'Delivery not found'],
  'changes-not-ready': ['unavailable', 'The list of changes is being built. Try again in a moment.'],
  'changes-cursor-expired': [
    'gone',
    'The list of changes was built again. Delete your copy and read it from the beginning, without a cursor.',
  ],
  'changes-time-not-valid': ['invalid', 'Write the time as in 2026-01-31T12:00:00Z'],
  'changes-kind-not-valid': ['invalid', 'Choose of member, tag, question, answer and reply'],
} as const satisfies ErrorTable;
