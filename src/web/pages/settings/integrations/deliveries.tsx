import { useMutation } from '@tanstack/react-query'
import { Link, useLocation, useSearch } from 'wouter'
import type { Delivery, DeliveryDetails, Webhook } from '../../../../contract/webhooks'
import { type DeliveryState, redeliver, replay, useDeliveries, useDelivery } from '../../../data/integrations'
import { Button } from '../../../parts/button'
import { Dialog } from '../../../parts/dialog'
import { formatCount } from '../../../parts/format-count'
import { PagedList } from '../../../parts/paged-list'
import { Empty, ProblemNote } from '../../../parts/states'
import { formatExactTime, Time } from '../../../parts/time'
import { withQuery } from '../../../paths'
import { RowSkeleton } from '../parts'

const states: [DeliveryState | undefined, string][] = [
  [undefined, 'All'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
]

/** The deliveries of a webhook. The filter and the open delivery are in the URL. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [path, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const status = states.find(([state]) => state === query.get('status'))?.[0]
  const deliveries = useDeliveries(webhook.id, status)
  const open = query.get('delivery')
  const buildPath = (change: Record<string, string | undefined>) => {
    const next = new URLSearchParams()
    for (const [name, value] of Object.entries({ status, delivery: undefined, ...change }))
      if (value) next.set(name, value)
    return withQuery(path, next)
  }
  return (
    <section className="form" aria-label="Deliveries">
      <h2>Deliveries</h2>
      <div className="tab-bar">
        <nav aria-label="Status">
          {states.map(([state, label]) => (
            <Link
              key={label}
              href={buildPath({ status: state })}
              className="tab-link"
              aria-current={state === status ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
      </div>
      {deliveries.error && !deliveries.data && (
        <ProblemNote error={deliveries.error} retry={() => void deliveries.refetch()} />
      )}
      {!deliveries.data && !deliveries.error && <RowSkeleton what="deliveries" />}
      {deliveries.data && deliveries.records.length === 0 && (
        <Empty title={status ? 'No deliveries with this status' : 'No deliveries yet'}>
          {status ? undefined : 'Deliveries appear here. Send a test to try it out.'}
        </Empty>
      )}
      {deliveries.records.length > 0 && (
        <PagedList name="Deliveries" pages={deliveries} skeleton={<RowSkeleton what="deliveries" />}>
          {(delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} to={buildPath({ delivery: delivery.id })} />
          )}
        </PagedList>
      )}
      {open && <DeliveryDialog key={open} id={open} close={() => navigate(buildPath({}), { replace: true })} />}
    </section>
  )
}

const DeliveryRow = ({ delivery, to }: { delivery: Delivery; to: string }) => (
  <li className="rows-item">
    <div>
      <p className="rows-name row">
        <DeliveryChip status={delivery.status} />
        <Link href={to}>
          <code>{delivery.event_type}</code>
        </Link>
      </p>
      <p className="meta">
        <Time at={delivery.created_at} /> · {formatAttempts(delivery)}
        <NextAttempt of={delivery} />
      </p>
      {delivery.not_sent_reason && <p className="meta">Not sent: {delivery.not_sent_reason}</p>}
    </div>
    {delivery.status !== 'pending' && (
      <Button
        icon="reopen"
        variant="plain"
        label={`Send ${delivery.event_type} again`}
        onClick={() => void redeliver(delivery)}
      />
    )}
  </li>
)

/** One delivery: request, responses and durations. */
function DeliveryDialog({ id, close }: { id: string; close(): void }) {
  const delivery = useDelivery(id)
  return (
    <Dialog title={delivery.data?.event_type ?? 'Delivery'} onClose={close}>
      {delivery.error && <ProblemNote error={delivery.error} retry={() => void delivery.refetch()} />}
      {!delivery.data && !delivery.error && <RowSkeleton what="the delivery" />}
      {delivery.data && <Details delivery={delivery.data} close={close} />}
    </Dialog>
  )
}

function Details({ delivery, close }: { delivery: DeliveryDetails; close(): void }) {
  const { id, webhook_id, event_id, event_type, status, request, attempts, created_at, not_sent_reason } = delivery
  const replaying = useMutation({ mutationFn: () => replay({ id: webhook_id }, event_id), onSuccess: close })
  const redelivery = useMutation({ mutationFn: () => redeliver({ id, webhook_id }) })
  return (
    <>
      <p className="meta row">
        <DeliveryChip status={status} />
        <span>
          <Time at={created_at} /> · {formatAttempts(delivery)}
          <NextAttempt of={delivery} />
        </span>
      </p>
      {not_sent_reason && <p>Not sent: {not_sent_reason}</p>}
      <section className="form" aria-label="Request">
        <h3>Request</h3>
        <dl className="details-list">
          <dt>To</dt>
          <dd>{request.url}</dd>
          <dt>Event</dt>
          <dd>
            <code>{event_id}</code>
          </dd>
        </dl>
        {request.body === null ? <p className="meta">{NOT_SHOWN}</p> : <Body text={formatJson(request.body)} />}
      </section>
      <section className="form" aria-label="Responses">
        <h3>Responses</h3>
        {attempts.length === 0 && <p className="meta">No attempts yet.</p>}
        <ol className="rows">
          {attempts.map((attempt) => (
            <li key={attempt.attempted_at} className="attempt">
              <p className="meta row">
                <span className={`chip ${isSuccess(attempt) ? 'good' : 'danger'}`}>
                  {attempt.response_status ?? 'No response'}
                </span>
                <time dateTime={attempt.attempted_at}>{formatExactTime(attempt.attempted_at)}</time>
                <span className="count">{attempt.duration_ms.toLocaleString()} ms</span>
              </p>
              {attempt.error && <p>{attempt.error}</p>}
              {attempt.response_body && <Body text={attempt.response_body} />}
            </li>
          ))}
        </ol>
      </section>
      {replaying.error && <ProblemNote error={replaying.error} />}
      <div className="row end dialog-foot">
        <Button
          disabledReason={event_type === 'webhook.ping' ? 'Test events cannot be replayed.' : undefined}
          onClick={() => replaying.mutate()}
        >
          Replay later events
        </Button>
        <Button
          variant="primary"
          disabledReason={status === 'pending' ? 'This delivery is pending.' : undefined}
          disabled={redelivery.isPending}
          onClick={() => redelivery.mutate()}
        >
          Send again
        </Button>
      </div>
    </>
  )
}

const NOT_SHOWN = 'You can no longer see this event, or it is no longer in the log.'

const isSuccess = ({ response_status }: DeliveryDetails['attempts'][number]) =>
  response_status !== null && response_status >= 200 && response_status < 300

const Body = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
  <pre className="sent" tabIndex={0}>
    {text}
  </pre>
)

/** Pretty-prints JSON. */
function formatJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const labels = { pending: ['', 'Pending'], delivered: ['good', 'Delivered'], failed: ['danger', 'Failed'] } as const

const DeliveryChip = ({ status }: Pick<Delivery, 'status'>) => (
  <span className={`chip ${labels[status][0]}`}>{labels[status][1]}</span>
)

const formatAttempts = ({ attempts_count }: Delivery) =>
  attempts_count === 0 ? 'no attempts yet' : formatCount(attempts_count, 'attempt')

/** When the next attempt is due, if any. */
function NextAttempt({ of: { next_attempt_at } }: { of: Delivery }) {
  if (!next_attempt_at) return null
  return (
    <>
      {' · '}
      <time dateTime={next_attempt_at} title={formatExactTime(next_attempt_at)}>
        {formatDelay(Date.parse(next_attempt_at) - Date.now())}
      </time>
    </>
  )
}

function formatDelay(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return 'next attempt soon'
  if (minutes < 90) return `next attempt in ${formatCount(minutes, 'minute')}`
  return `next attempt in ${formatCount(Math.round(minutes / 60), 'hour')}`
}
