import { useState } from 'react'
import { useLocation } from 'wouter'
import type { NewWebhook, Webhook } from '../../../contract/webhooks'
import { usePermissions } from '../../data/me'
import {
  deleteWebhook,
  ping,
  rotateSecret,
  setEnabled,
  updateWebhook,
  useNotOwnerReason,
  useWebhooks,
} from '../../data/webhooks'
import { Button } from '../../parts/button'
import { useConfirm } from '../../parts/dialog'
import { Menu } from '../../parts/menu'
import { notifyProblem } from '../../parts/notices'
import { Empty, ProblemNote } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { AdminsOnly } from './admins-only'
import { Deliveries } from './deliveries'
import { ReplayForm } from './replay-form'
import { RowSkeleton } from './row-skeleton'
import { SecretNote } from './secret-note'
import { WebhookForm } from './webhook-form'
import { formatEventTypes, WebhookState } from './webhook-state'

/** One webhook: URL, state and deliveries. */
export function WebhookSection({ id }: { id: string }) {
  const { isAdmin } = usePermissions()
  const webhooks = useWebhooks(isAdmin)
  const webhook = webhooks.data?.find((known) => known.id === id)
  if (webhook) return <WebhookDetails webhook={webhook} />
  return (
    <>
      <PageTitle title="Webhook" />
      {!isAdmin && <AdminsOnly />}
      {webhooks.error && <ProblemNote error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {isAdmin && !webhooks.data && !webhooks.error && <RowSkeleton what="the webhook" />}
      {webhooks.data && <Empty title="There is no such webhook">It may have been deleted.</Empty>}
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
      title: 'Give it a new secret?',
      text: 'For a day everything is signed with both, so that the receiver can change over.',
      label: 'Give a new secret',
      run: () => rotateSecret(webhook).then(setSecret, (error) => notifyProblem('The secret stays.', error)),
    })
  const disable = () =>
    ask({
      title: `Disable the webhook of ${owner.name}?`,
      text: `Only ${owner.name} can switch it on again.`,
      label: 'Disable webhook',
      run: () => void setEnabled(webhook, false),
    })
  const remove = () =>
    ask({
      title: 'Delete this webhook?',
      text: 'Nothing is sent any more, and its deliveries are forgotten. This cannot be undone.',
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
            {formatEventTypes(webhook)} · made <Time at={created_at} />
            {disabledReason && ` · owned by ${owner.name}`}
          </span>
        </p>
      </div>
      {!is_enabled && disabled_reason && (
        <div className="problem">
          <p>Switched off: {disabled_reason}</p>
          <p className="meta">
            {disabledReason
              ? `Only its owner, ${owner.name}, can switch it on again.`
              : 'Switched on again, it goes on with what happens from then on. Replay sends what it missed.'}
          </p>
        </div>
      )}
      <div className="row">
        <Button
          disabledReason={disabledReason ?? (is_enabled ? undefined : 'Switch it on first.')}
          onClick={() => void ping(webhook)}
        >
          Send a test
        </Button>
        <Button
          disabledReason={is_enabled ? undefined : disabledReason}
          onClick={() => (disabledReason ? disable() : void setEnabled(webhook, !is_enabled))}
        >
          {is_enabled ? (disabledReason ? 'Disable' : 'Pause') : 'Switch on'}
        </Button>
        <Button icon="edit" disabledReason={disabledReason} onClick={() => show('edit')}>
          Edit
        </Button>
        <Menu
          label="More for this webhook"
          entries={[
            { label: 'Replay …', icon: 'reopen', disabledReason, run: () => show('replay') },
            { label: 'New secret …', icon: 'lock', disabledReason, run: rotate },
            { label: 'Delete …', icon: 'trash', isDanger: true, run: remove },
          ]}
        />
      </div>
      {secret && (
        <SecretNote title="New secret of the webhook" secret={secret.secret} dismiss={() => setSecret(undefined)} />
      )}
      {disabledReason ? (
        <Empty title="Deliveries are private">Only {owner.name} can see what this webhook delivered.</Empty>
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
