import type { Webhook } from '../../../contract/webhooks'

/** Whether a webhook is on, paused, or was turned off by Parley. */
export function WebhookState({ webhook: { is_enabled, disabled_reason } }: { webhook: Webhook }) {
  if (is_enabled) return <span className="chip good">On</span>
  return disabled_reason ? <span className="chip danger">Turned off</span> : <span className="chip">Paused</span>
}

/** The event types of a webhook as text. */
export const formatEventTypes = ({ types }: Webhook): string => {
  if (types.length === 0) return 'All events'
  const shown = types.slice(0, 3).join(', ')
  return types.length > 3 ? `${shown} and ${types.length - 3} more` : shown
}
