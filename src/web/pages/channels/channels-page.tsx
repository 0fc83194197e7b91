import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Channel } from '../../../contract/channels'
import {
  archiveChannel,
  createChannel,
  setChannelPrivate,
  unarchiveChannel,
  useActiveChannels,
  useArchivedChannels,
} from '../../data/channels'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { Check } from '../../parts/check'
import { copyLink } from '../../parts/copy-link'
import { useConfirm } from '../../parts/dialog'
import { Field, NameField } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { Menu, type MenuEntry } from '../../parts/menu'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { ChannelDetails } from './channel-details'
import { JoinButton } from './join-button'
import { getNameError } from './name-error'

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

/** A channel with its description, how busy it is, and what one can do with it. */
function ChannelRow({ channel, entries }: { channel: Channel; entries: MenuEntry[] }) {
  const { id, name, description, is_private, posts_count, members_count, last_activity_at } = channel
  return (
    <li className="rows-item channel-row">
      <div>
        <h2 className="row">
          <Icon name={is_private ? 'lock' : 'hash'} />
          <Link href={paths.channel(id)}>{name}</Link>
          {is_private && <span className="chip">Private</span>}
        </h2>
        {description && (
          <p className="channel-description" dir="auto">
            {description}
          </p>
        )}
        <p className="meta count">
          {formatCount(members_count, 'member')} · {formatCount(posts_count, 'post')}
          {last_activity_at && (
            <>
              {' '}
              · active <Time at={last_activity_at} />
            </>
          )}
        </p>
      </div>
      <div className="row">
        <JoinButton channel={channel} />
        <Menu label={`Actions for ${name}`} entries={entries} />
      </div>
    </li>
  )
}

function NewChannel({ close }: { close(): void }) {
  const [, navigate] = useLocation()
  const create = useMutation({
    mutationFn: createChannel,
    onSuccess: ({ id }) => navigate(paths.channel(id), { replace: true }),
  })
  const fieldError = getNameError(create.error)
  return (
    <FormDialog
      title="New channel"
      label="Create channel"
      close={close}
      send={(form) =>
        create.mutate({
          name: String(form.get('name')),
          description: String(form.get('description')),
          private: form.has('private'),
        })
      }
      isPending={create.isPending}
      error={fieldError ? undefined : create.error}
    >
      <NameField maxLength={80} autoFocus error={fieldError} hint="A word or two, such as “design” or “press”." />
      <Field label="Description (optional)" name="description" maxLength={500} autoComplete="off" />
      <Check name="private" label="Private" hint="Only people who are added can see it and its posts." />
    </FormDialog>
  )
}

/** What can be done with a channel. What is for admins only is disabled for others, with the reason. */
function useChannelActions(): [ReactNode, (channel: Channel) => MenuEntry[]] {
  const { manageDeniedReason } = usePermissions()
  const [, navigate] = useLocation()
  const [question, confirm] = useConfirm()

  const makePublic = (channel: Channel) =>
    confirm({
      title: `Make ${channel.name} public?`,
      text: 'Everyone in the workspace except guests will see this channel and all of its posts.',
      label: 'Make public',
      run: () => void setChannelPrivate(channel, false),
    })
  const entries = (channel: Channel): MenuEntry[] => [
    { label: 'Details and members', icon: 'people', run: () => navigate(paths.channelDetails(channel.id)) },
    { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.channel(channel.id)) },
    channel.is_private
      ? { label: 'Make public', icon: 'hash', disabledReason: manageDeniedReason, run: () => makePublic(channel) }
      : {
          label: 'Make private',
          icon: 'lock',
          disabledReason: manageDeniedReason,
          run: () => void setChannelPrivate(channel, true),
        },
    {
      label: 'Archive channel',
      icon: 'trash',
      isDanger: true,
      disabledReason: manageDeniedReason,
      run: () => void archiveChannel(channel),
    },
  ]
  return [question, entries]
}
