import { Link } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { useChannelFaces } from '../../data/channel-members'
import { joinChannel, useIsJoined } from '../../data/channels'
import { useFilesCount } from '../../data/files'
import { placeChannel, useIsFavorite } from '../../data/sidebar'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { paths } from '../../paths'
import { JoinedMenu } from '../channels/joined-menu'

/** Who is in a channel, and joining it, or what can be done with it once one is in it. */
export function ChannelTools({ channel }: { channel: Channel }) {
  const isJoined = useIsJoined(channel.id)
  return (
    <>
      <Faces channel={channel} />
      {isJoined === false && (
        <Button label={`Join ${channel.name}`} onClick={() => void joinChannel(channel)}>
          Join
        </Button>
      )}
      {isJoined !== undefined && <JoinedMenu channel={channel} isJoined={isJoined} />}
    </>
  )
}

/** Some of the members and how many there are, as a link to all of them. */
function Faces({ channel: { id, members_count } }: { channel: Channel }) {
  const members = useChannelFaces(id)
  return (
    <Link href={paths.channelAbout(id)} className="button plain channel-faces count">
      <span className="faces">
        {members?.map((member) => (
          <Avatar key={member.id} of={member} size={24} />
        ))}
      </span>
      {members_count.toLocaleString()}
      <span className="visually-hidden"> {members_count === 1 ? 'member' : 'members'}</span>
    </Link>
  )
}

/** Puts a channel among the favorites, or takes it out. */
export function FavoriteButton({ channel }: { channel: Channel }) {
  const isFavorite = useIsFavorite(channel.id)
  if (!useIsJoined(channel.id)) return null
  return (
    <Button
      icon="star"
      variant="plain"
      className="favorite"
      label={isFavorite ? 'Remove from favourites' : 'Add to favourites'}
      aria-pressed={isFavorite}
      onClick={() => void placeChannel(channel, { isFavorite: !isFavorite })}
    />
  )
}

/** How many files a channel has, beside the name of their tab. */
export function FilesCount({ channelId }: { channelId: string }) {
  const count = useFilesCount(channelId)
  return count ? ` ${count.toLocaleString()}` : null
}
