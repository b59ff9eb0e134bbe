/** What can be read without a network once it was opened: the first parts of the keys under which features cache it. */
export const offlineQueryNames = ['question', 'feed', 'topics', 'following', 'profiles', 'notifications'];
