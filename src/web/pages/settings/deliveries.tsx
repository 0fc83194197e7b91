import { Link, useLocation, useSearch } from 'wouter'
import type { Delivery, Webhook } from '../../../contract/webhooks'
import { type DeliveryState, redeliver, useDeliveries } from '../../data/webhooks'
import { Button } from '../../parts/button'
import { PagedList } from '../../parts/paged-list'
import { Empty, ProblemNote } from '../../parts/states'
import { Time } from '../../parts/time'
import { withQuery } from '../../paths'
import { DeliveryDialog } from './delivery-dialog'
import { DeliveryChip, formatAttempts, NextAttempt } from './delivery-state'
import { RowSkeleton } from './row-skeleton'

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
