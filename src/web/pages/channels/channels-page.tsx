import { Link, useLocation, useSearch } from 'wouter'
import { unarchiveChannel, useActiveChannels, useArchivedChannels } from '../../data/channels'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { ChannelDetails } from './channel-details'
import { ChannelRow } from './channel-row'
import { NewChannel } from './new-channel'
import { useChannelActions } from './use-channel-actions'

/** All visible channels. The open dialog is in the URL: `?new`, `?open=<id>`. */
export default function ChannelsPage() {
  const [, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const { manageDeniedReason } = usePermissions()
  const isArchive = query.has('archived') && manageDeniedReason === undefined
  const open = query.get('open')
  const create = () => navigate(paths.newChannel)
  const close = () => navigate(isArchive ? paths.archivedChannels : paths.channels, { replace: true })
  return (
    <main className="page" id="main">
      <div className="page-head">
        <PageTitle title={isArchive ? 'Archived channels' : 'Channels'} />
        <Button icon="plus" variant="primary" disabledReason={manageDeniedReason} onClick={create}>
          New channel
        </Button>
      </div>
      <div className="tab-bar">
        <nav aria-label="Status">
          <Link href={paths.channels} className="tab-link" aria-current={isArchive ? undefined : 'page'}>
            Active
          </Link>
          {manageDeniedReason ? (
            <Button className="tab-link" variant="plain" disabledReason={manageDeniedReason}>
              Archived
            </Button>
          ) : (
            <Link href={paths.archivedChannels} className="tab-link" aria-current={isArchive ? 'page' : undefined}>
              Archived
            </Link>
          )}
        </nav>
      </div>
      {isArchive ? <Archive /> : <InUse create={create} disabledReason={manageDeniedReason} />}
      {query.has('new') && !manageDeniedReason && <NewChannel close={close} />}
      {open && <ChannelDetails key={open} id={open} close={close} />}
    </main>
  )
}

function InUse({ create, disabledReason }: { create(): void; disabledReason: string | undefined }) {
  const channels = useActiveChannels()
  const [dialogs, actionsFor] = useChannelActions()
  if (channels.error && !channels.data)
    return <ProblemNote error={channels.error} retry={() => void channels.refetch()} />
  if (!channels.data) return <ChannelSkeleton />
  if (channels.data.length === 0)
    return (
      <Empty
        title="No channels yet"
        action={
          <Button variant="primary" icon="plus" disabledReason={disabledReason} onClick={create}>
            Create the first channel
          </Button>
        }
      >
        A channel groups the posts about one topic. {disabledReason && 'You will see the channels you are added to.'}
      </Empty>
    )
  return (
    <>
      <ul className="rows" aria-label="Channels">
        {channels.data.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} entries={actionsFor(channel)} />
        ))}
      </ul>
      {dialogs}
    </>
  )
}

/** Archived channels, for admins. */
function Archive() {
  const archived = useArchivedChannels(true)
  if (archived.error && !archived.data)
    return <ProblemNote error={archived.error} retry={() => void archived.refetch()} />
  if (!archived.data) return <ChannelSkeleton />
  if (archived.data.length === 0)
    return <Empty title="No archived channels">Archived channels appear here and can be unarchived.</Empty>
  return (
    <ul className="rows" aria-label="Archived channels">
      {archived.data.map((channel) => (
        <li key={channel.id} className="rows-item">
          <div>
            <h2 className="row">
              <Icon name={channel.is_private ? 'lock' : 'hash'} />
              {channel.name}
              {channel.is_private && <span className="chip">Private</span>}
            </h2>
            <p className="meta count">
              {formatCount(channel.posts_count, 'post')} · archived <Time at={channel.archived_at!} />
            </p>
          </div>
          <Button icon="reopen" label={`Unarchive ${channel.name}`} onClick={() => void unarchiveChannel(channel)}>
            Unarchive
          </Button>
        </li>
      ))}
    </ul>
  )
}

const ChannelSkeleton = () => (
  <Loading what="channels">
    <ul className="rows">
      {[140, 90, 180, 120].map((width) => (
        <li key={width} className="rows-item">
          <div>
            <Skeleton width={width} height={18} />
            <Skeleton width={110} />
          </div>
        </li>
      ))}
    </ul>
  </Loading>
)
