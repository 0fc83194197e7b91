import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { NewWebhook, Webhook } from '../../../../contract/webhooks'
import {
  deleteWebhook,
  ping,
  replay,
  rotateSecret,
  setEnabled,
  updateWebhook,
  useNotOwnerReason,
  useWebhooks,
} from '../../../data/integrations'
import { Button } from '../../../parts/button'
import { useConfirm } from '../../../parts/dialog'
import { Field, getFieldError } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { Menu } from '../../../parts/menu'
import { notifyProblem } from '../../../parts/notices'
import { Empty, ProblemNote } from '../../../parts/states'
import { Time } from '../../../parts/time'
import { paths } from '../../../paths'
import { PageTitle } from '../../../shell/title'
import { RowSkeleton, SecretNote } from '../parts'
import { Deliveries } from './deliveries'
import { WebhookForm } from './webhook-form'

/** One webhook: URL, state and deliveries. */
export function WebhookSection({ id }: { id: string }) {
  const webhooks = useWebhooks(true)
  const webhook = webhooks.data?.find((known) => known.id === id)
  if (webhook) return <WebhookDetails webhook={webhook} />
  return (
    <>
      <PageTitle title="Webhook" />
      {webhooks.error && <ProblemNote error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {!webhooks.data && !webhooks.error && <RowSkeleton what="the webhook" />}
      {webhooks.data && <Empty title="Webhook not found">It may have been deleted.</Empty>}
    </>
  )
}

function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const [secret, setSecret] = useState<NewWebhook>()
  const [open, show] = useState<'edit' | 'replay'>()
  const [, navigate] = useLocation()
  const [question, ask] = useConfirm()
  const disabledReason = useNotOwnerReason(webhook)
  const { is_enabled, disabled_reason, created_at, owner } = webhook
  const close = () => show(undefined)
  const rotate = () =>
    ask({
      title: 'Rotate the secret?',
      text: 'For one day, events are signed with both secrets, so that you can update the receiver.',
      label: 'Rotate secret',
      run: () => rotateSecret(webhook).then(setSecret, (error) => notifyProblem('The secret was not rotated.', error)),
    })
  const disable = () =>
    ask({
      title: `Disable the webhook of ${owner.name}?`,
      text: `Only ${owner.name} can turn it on again.`,
      label: 'Disable webhook',
      run: () => void setEnabled(webhook, false),
    })
  const remove = () =>
    ask({
      title: 'Delete this webhook?',
      text: 'No more events are sent, and its deliveries are deleted. This cannot be undone.',
      label: 'Delete webhook',
      run: () =>
        deleteWebhook(webhook).then(
          () => navigate(paths.settings('webhooks'), { replace: true }),
          (error) => notifyProblem('The webhook was not deleted.', error),
        ),
    })
  return (
    <>
      <div>
        <PageTitle title={webhook.url} />
        <p className="meta row">
          <WebhookState webhook={webhook} />
          <span>
            {formatEventTypes(webhook)} · created <Time at={created_at} />
            {disabledReason && ` · owned by ${owner.name}`}
          </span>
        </p>
      </div>
      {!is_enabled && disabled_reason && (
        <div className="problem">
          <p>Turned off: {disabled_reason}</p>
          <p className="meta">
            {disabledReason
              ? `Only the owner, ${owner.name}, can turn it on again.`
              : 'After you turn it on, it receives new events. Replay sends the events it missed.'}
          </p>
        </div>
      )}
      <div className="row">
        <Button
          disabledReason={disabledReason ?? (is_enabled ? undefined : 'Turn it on first.')}
          onClick={() => void ping(webhook)}
        >
          Send a test
        </Button>
        <Button
          disabledReason={is_enabled ? undefined : disabledReason}
          onClick={() => (disabledReason ? disable() : void setEnabled(webhook, !is_enabled))}
        >
          {is_enabled ? (disabledReason ? 'Disable' : 'Pause') : 'Turn on'}
        </Button>
        <Button icon="edit" disabledReason={disabledReason} onClick={() => show('edit')}>
          Edit
        </Button>
        <Menu
          label="Webhook actions"
          entries={[
            { label: 'Replay…', icon: 'reopen', disabledReason, run: () => show('replay') },
            { label: 'Rotate secret…', icon: 'lock', disabledReason, run: rotate },
            { label: 'Delete…', icon: 'trash', isDanger: true, run: remove },
          ]}
        />
      </div>
      {secret && <SecretNote title="New webhook secret" secret={secret.secret} dismiss={() => setSecret(undefined)} />}
      {disabledReason ? (
        <Empty title="Deliveries are private">Only {owner.name} can see the deliveries of this webhook.</Empty>
      ) : (
        <Deliveries webhook={webhook} />
      )}
      {open === 'edit' && (
        <WebhookForm
          title="Edit webhook"
          action="Save"
          webhook={webhook}
          save={(input) => updateWebhook(webhook, input)}
          close={close}
        />
      )}
      {open === 'replay' && <ReplayForm webhook={webhook} close={close} />}
      {question}
    </>
  )
}

/** Sends all events after a given one again. */
function ReplayForm({ webhook, close }: { webhook: Webhook; close(): void }) {
  const replaying = useMutation({ mutationFn: (after: string) => replay(webhook, after), onSuccess: close })
  const fieldError = getFieldError(replaying.error, 'after')
  return (
    <FormDialog
      title="Replay events"
      label="Replay"
      close={close}
      send={(form) => replaying.mutate(String(form.get('after')).trim())}
      isPending={replaying.isPending}
      error={fieldError ? undefined : replaying.error}
    >
      <Field
        label="Replay after event"
        name="after"
        required
        autoFocus
        autoComplete="off"
        error={fieldError}
        hint="The id of an event, as shown in its delivery. All later events are sent again."
      />
    </FormDialog>
  )
}

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
