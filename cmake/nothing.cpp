// What a library needs is linked with this, to see that it is enough.
