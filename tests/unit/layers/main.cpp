// Links with one library of the generator, all of it, and with what that names.
int main() { return 0; }
